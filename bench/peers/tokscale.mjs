// tokscale's native core: node tokscale.mjs HOME. It parses every session and hands each message over; the sum is made here.
import tokscale from "@tokscale/core";

const { messages } = tokscale.parseLocalSources({ homeDir: process.argv[2], sources: ["pi"] });
const totals = { calls: messages.length, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
for (const message of messages) {
  totals.input += message.input;
  totals.output += message.output;
  totals.cacheRead += message.cacheRead;
  totals.cacheWrite += message.cacheWrite;
}
console.log(JSON.stringify(totals));
