export const DATE_FORMS = "YYYY-MM-DD, YYYYMMDD, today, yesterday, 28d, 4w, 6m, 12h, or ISO 8601 with a time";
