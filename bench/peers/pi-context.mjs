// pi's own context of a session's current leaf: node pi-context.mjs FILE PACKAGE.
const [file, packageName] = process.argv.slice(2);
const { SessionManager } = await import(
  new URL(`node_modules/${packageName}/dist/core/session-manager.js`, import.meta.url)
);
const { messages, thinkingLevel, model } = SessionManager.open(file).buildSessionContext();
console.log(JSON.stringify({ messages: messages.length, thinkingLevel, model }));
