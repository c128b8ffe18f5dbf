// Package bench measures methods on problems: it runs a grid of trials, keeps
// every finished trial in a folder, and writes tables and comparisons with
// published numbers.
//
// A results folder holds
//
//	trials.jsonl    one line per finished trial, appended and synced
//	trials.jsonl.gz such lines from before the last Pack, compressed, if there are any
//	summary.json    one row per cell, rewritten after every trial
//	failures.jsonl  one line per attempt at a trial that failed, if any did
//	runs.jsonl      one line per run: command, version, machine
//	lock            held while a run writes
//
// Running again continues: finished trials are kept, and further methods,
// problems and trials may be added. A folder that holds a cell with other
// settings, or a line that cannot be read, is refused before anything is
// written. A last line torn by a crash is repaired. Trials of another version of
// the program are kept, with a note.
//
// A trial is a study in memory that is asked and told in rounds, as users do it; its method or
// its problem may be a program of its own (exec:COMMAND). A trial that fails is written down
// and tried once more.
//
// Trial t uses seed t for the method and embedding t for the problem, so all
// methods meet the same functions and, if they take one, the same initial
// design. A trial runs on one thread, unless Options.Threads asks for more, and its
// values depend on neither that nor the number of jobs nor GOMAXPROCS.
//
// Glossary
//
//	cell          method, problem, dimension and batch size
//	best          lowest noise-free value over the initial design and the evaluations
//	seconds       wall time of the study's Ask and Tell, or of a program's answers,
//	              without the objective
//	cpu_seconds   CPU time of the same calls on the trial's own thread, or on all of
//	              several, or of the program's process; on systems without such clocks it is
//	              the wall time
//	failed        evaluations that gave no value (0 when absent); the curve stays as it was
//	minimum       the lowest value that a problem has which is a program and knows it
//	fallbacks     rounds of uniform points, as the method could not choose (0 when absent)
//	se            standard error of the mean, sd/sqrt(n) with the sample sd; null
//	              when there is one trial only
package bench
