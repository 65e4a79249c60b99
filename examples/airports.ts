import * as fuseau from "fuseau";

console.log(`fuseau exports ${Object.keys(fuseau).length} names`);
