/**
 * What a column can hold. `int64` are whole numbers; `double` are tokens and dollars, which a file may give as any finite number, so that sums agree
 * with those of `totals`; `timestamp` is an instant in UTC, to the millisecond.
 */
export type ColumnType = "string" | "int64" | "double" | "boolean" | "timestamp";

export interface TableColumn {
  name: string;
  type: ColumnType;
  /** Whether a row may be without it. */
  nullable: boolean;
}

export type TableName = "sessions" | "entries" | "messages" | "tool_calls" | "usage";

/** Rows by table. */
export type RowCounts = Partial<Record<TableName, number>>;

export interface Table {
  name: TableName;
  columns: readonly TableColumn[];
  /** The columns that tell its rows apart; of one session file, all but the first. */
  key: readonly string[];
  /** The column whose UTC month a row belongs to. */
  timeColumn: string;
}

/** `name type`, with a `?` behind the type of what may be missing. */
function columns(...specs: string[]): TableColumn[] {
  return specs.map((spec) => {
    const [name, type] = spec.split(" ") as [string, string];
    return { name, type: type.replace("?", "") as ColumnType, nullable: type.endsWith("?") };
  });
}

/** What the rows of an entry begin with, and what of it tells the entries apart. */
const entryPlace = ["session_id string", "path string", "line int64", "line_part int64"];
const entryKey = ["path", "line", "line_part"];

/**
 * The tables of an export, in the order in which they are written. Every row names its session and its file; one of an entry also the line in the file,
 * which tells entries apart even where ids are missing or stand twice.
 */
export const tables: readonly Table[] = [
  {
    name: "sessions",
    columns: columns(
      "session_id string",
      "path string",
      "host string",
      "cwd string?",
      "name string?",
      "parent_session string?",
      "version int64",
      "created timestamp?",
      "modified timestamp",
      "message_count int64",
      "entry_count int64",
      "size_bytes int64",
      "first_message string?",
      "branches int64",
      "damaged_lines int64",
    ),
    key: ["path"],
    timeColumn: "created",
  },
  {
    name: "entries",
    columns: columns(
      ...entryPlace,
      "entry_id string?",
      "parent_id string?",
      "type string",
      "role string?",
      "timestamp timestamp?",
      "depth int64?",
      "on_current_branch boolean",
      "bytes int64",
    ),
    key: entryKey,
    timeColumn: "timestamp",
  },
  {
    name: "messages",
    columns: columns(
      ...entryPlace,
      "entry_id string?",
      "timestamp timestamp?",
      "role string?",
      "text string?",
      "thinking string?",
      "provider string?",
      "model string?",
      "stop_reason string?",
      "error_message string?",
      "tool_name string?",
      "is_error boolean?",
    ),
    key: entryKey,
    timeColumn: "timestamp",
  },
  {
    name: "tool_calls",
    columns: columns(
      ...entryPlace,
      "content_index int64",
      "entry_id string?",
      "result_entry_id string?",
      "tool_call_id string?",
      "tool_name string?",
      "arguments string?",
      "is_error boolean?",
      "output_bytes int64?",
      "duration_ms int64?",
      "timestamp timestamp?",
    ),
    key: [...entryKey, "content_index"],
    timeColumn: "timestamp",
  },
  {
    name: "usage",
    columns: columns(
      ...entryPlace,
      "entry_id string?",
      "timestamp timestamp?",
      "entry_timestamp timestamp?",
      "source string",
      "provider string?",
      "model string?",
      "response_id string?",
      "input double",
      "output double",
      "cache_read double",
      "cache_write double",
      "total_tokens double",
      "cost_total double",
      "is_copy boolean",
    ),
    key: entryKey,
    timeColumn: "timestamp",
  },
];

export function findTable(name: TableName): Table {
  return tables.find((table) => table.name === name)!;
}
