export * from "./errors.js";
export * from "./format/block.js";
export * from "./format/entry.js";
export * from "./format/header.js";
export * from "./format/message.js";
export type { StoredUsage, Usage, UsageSource } from "./format/usage.js";
