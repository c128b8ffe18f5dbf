// Package table reads and writes the trials of a study as files: CSV, JSON lines and
// Parquet.
//
// # Columns
//
// CSV and Parquet have one column per parameter and one per field of a trial. A parameter
// that is called like a field has the column params.NAME. JSON lines hold one trial each,
// with the parameters in "params" or beside the other fields.
//
// # CSV
//
// The first line names the columns. The columns are divided by the sign, a comma, a
// semicolon or a tab, that the first line holds outside quotes. If it holds several, they are
// divided by the one that leaves every column that is needed.
//
// Numbers have a decimal point, or all of them a decimal comma: a file has decimal commas
// when some number has a comma and none a point, and when a number such as 0,5 or 12,25
// settles that the comma does not mark thousands. If no number settles it, or if commas and
// points are mixed in a file divided by semicolons or tabs, the file is refused until
// Options.Decimal says which it is.
//
// # Formulas
//
// A spreadsheet takes a cell that begins with = + - @ or a control character for a formula.
// Export writes an apostrophe before such a text, unless it is a number, and before the
// apostrophes of a text that consists of some and such a text. Import takes one away.
//
// # Limits
//
// A file is refused as soon as reading it exceeds a limit: bytes, rows, columns, cells, or
// bytes of one cell. Parquet files are compressed, so what they unpack to counts too.
package table
