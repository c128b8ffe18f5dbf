// Package store keeps studies: in memory, in a SQLite file, or in a PostgreSQL
// database.
//
//	memory:                          for tests; gone with the process
//	sqlite:PATH                      one file, many processes of one machine
//	postgres://user@host/database    many machines
//
// The SQL stores share their tables and their statements (database.go, schema.go):
//
//	mahabo_studies  name, id and the length of the log
//	mahabo_events   the log, one JSON object per event
//	mahabo_trials   the trials as the log leaves them, one JSON object each
//	mahabo_locks    which process chooses for a study, and until when
//
// To append is to move the length of the log from one number to the next, in a
// transaction with the events and the changed trials: who finds another length has
// been overtaken. That one statement serialises all writers of a study, the
// database does the rest. A transaction that was acknowledged survives the loss of
// power: SQLite runs with synchronous=FULL, PostgreSQL with its default.
package store
