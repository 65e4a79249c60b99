/** The airports of the United States and a few beyond, from vega-datasets. */
import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";

export interface Airport {
  readonly iata: string;
  readonly name: string;
  readonly city: string;
  /** Two letters; null where the data say "NA". */
  readonly state: string | null;
  readonly country: string;
  /** Degrees north. */
  readonly latitude: number;
  /** Degrees east. */
  readonly longitude: number;
}

export function loadAirports(): Airport[] {
  const file = new URL("../data/airports.csv", import.meta.resolve("vega-datasets"));
  const rows = parse<Record<string, string>>(readFileSync(file), { columns: true });
  return rows.map(toAirport);
}

function toAirport(row: Record<string, string>): Airport {
  const field = (name: string): string => {
    const text = row[name];
    if (text === undefined || text === "")
      throw new Error(`airports.csv: no ${name} in ${JSON.stringify(row)}`);
    return text;
  };
  const degrees = (name: string, limit: number): number => {
    const angle = Number(field(name));
    if (!(Math.abs(angle) <= limit))
      throw new RangeError(`airports.csv: ${name} ${field(name)} of ${field("iata")}`);
    return angle;
  };
  return {
    iata: field("iata"),
    name: field("name"),
    city: field("city"),
    state: field("state") === "NA" ? null : field("state"),
    country: field("country"),
    latitude: degrees("latitude", 90),
    longitude: degrees("longitude", 180),
  };
}
