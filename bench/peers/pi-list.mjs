// pi's own listing of a whole store: node pi-list.mjs HOME PACKAGE. Only the module that lists is loaded, not the agent around it.
const [home, packageName] = process.argv.slice(2);
process.env.PI_CODING_AGENT_DIR = `${home}/.pi/agent`;
const { SessionManager } = await import(
  new URL(`node_modules/${packageName}/dist/core/session-manager.js`, import.meta.url)
);
const sessions = await SessionManager.listAll();
const messages = sessions.reduce((count, session) => count + session.messageCount, 0);
console.log(JSON.stringify({ sessions: sessions.length, messages }));
