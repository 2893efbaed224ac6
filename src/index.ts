export * from "./errors.js";
export type { TextMode } from "./export/cell-text.js";
export type { TableName } from "./export/tables.js";
export * from "./format/block.js";
export * from "./format/entry.js";
export type { EntryPosition, EntryRecord, HeaderRecord, TruncatedString } from "./format/entry-record.js";
export * from "./format/header.js";
export * from "./format/message.js";
export type { DamageCode, OddityCode, Problem } from "./format/problem.js";
export type { StoredUsage, Usage, UsageSource } from "./format/usage.js";
export { migrateSessionEntries } from "./migrate/migrate-session-entries.js";
export { migrateStream } from "./migrate/migrate-stream.js";
export { type BuildContextOptions, type BuiltContext, buildContext } from "./read/build-context.js";
export { checkSession } from "./read/check-session.js";
export type { ReadCounts } from "./read/entry-parser.js";
export { type EntryStreamOptions, entryStream } from "./read/entry-stream.js";
export { type IndexSessionOptions, indexSession } from "./read/index-session.js";
export { type Line, lineStream } from "./read/line-stream.js";
export { type BranchRecord, readBranch } from "./read/read-branch.js";
export { type ReadSessionOptions, readSession, type SessionReading } from "./read/read-session.js";
export { readTree, type SessionTree, type TreeNode } from "./read/read-tree.js";
export type { MissReason } from "./report/cache-misses.js";
export type { GroupKey, GroupSort, UsageGroup } from "./report/group-calls.js";
export type { Session } from "./report/session-summary.js";
export type { LargeEntry, SizeGroup, SizeKey } from "./report/size-groups.js";
export { type CheckedFile, checkStore } from "./scan/check-store.js";
export { defaultStore } from "./scan/default-store.js";
export type { ExportFormat, ExportOptions, ExportResult } from "./scan/export-request.js";
export { exportSessions } from "./scan/export-sessions.js";
export {
  type CacheMiss,
  type CacheMisses,
  type CacheMissesOptions,
  findCacheMisses,
} from "./scan/find-cache-misses.js";
export { type Lineage, type LineageSession, lineage } from "./scan/lineage.js";
export { type ListOptions, listAll, listSessions } from "./scan/list-sessions.js";
export { measureSession, measureSizes, type Sizes, type SizesOptions } from "./scan/measure-sizes.js";
export { resolveSession } from "./scan/resolve-session.js";
export type { ScanProgress, SkippedFile, StoreOptions } from "./scan/store-options.js";
export { type Totals, type TotalsOptions, totals } from "./scan/totals.js";
export { getLatestCompactionEntry } from "./store/get-latest-compaction-entry.js";
export type { SessionListProgress } from "./store/list-session-infos.js";
export { assertValidSessionId } from "./store/new-ids.js";
export { parseSessionEntries } from "./store/parse-session-entries.js";
export type { SessionInfo } from "./store/session-info.js";
export {
  type NewSessionOptions,
  type ReadonlySessionManager,
  SessionManager,
  type SessionManagerOptions,
} from "./store/session-manager.js";
export type { SessionTreeNode } from "./store/session-tree.js";
export { buildContextEntries, buildSessionContext, buildSessionProjection } from "./tree/build-session-context.js";
export { entryMessages as sessionEntryToContextMessages } from "./tree/entry-messages.js";
export { findTreeOddities } from "./tree/find-oddities.js";
export type { ProjectedSessionEntry, SessionProjection } from "./tree/project-branch.js";
export type { SelectedContext, SessionContext } from "./tree/select-context.js";
export { type EntryLabel, type IndexedEntry, SessionIndex } from "./tree/session-index.js";
export { treeStream } from "./tree/tree-stream.js";
