/** Indexes one session, as `context` and `tree` do first. */
import { indexSession } from "../src/read/index-session.js";

const index = await indexSession(process.argv[2]!);
console.log(JSON.stringify({ entries: index.size, leafId: index.leafId }));
