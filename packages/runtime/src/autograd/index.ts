/** What users import as `autograd`. */
export { grad } from "../functions/autograd.ts";
