// Package command evaluates parameters with a program of the user's: any language, no
// shell between.
//
// The program gets the parameters twice: as one JSON object on standard input, and in its
// arguments, where {name} stands for the value of a parameter and {trial} for the number
// of the trial ({{ and }} for braces). Its last non-empty line on standard output is the
// result, a number or a JSON object:
//
//	3.25
//	{"value": 3.25, "std": 0.1}
//	{"state": "infeasible", "reason": "the mesh folds over"}
//
// A program that runs for long may say how far it is, with a JSON object on a line for every step. They are
// reports: whoever follows the trial gets them, and may have the program ended, by SIGTERM and after a pause by SIGKILL:
//
//	{"step": 1, "value": 9.5}
//
// The environment MAHABO_CHECKPOINT names a folder of the trial, if Options.Checkpoints asks for one. What
// the program keeps there is there again when the trial is evaluated once more. "cost" says what the evaluation cost.
//
// Other keys are ignored. A trial fails, with the reason kept, when the program exits with
// another code than 0, takes too long, or prints neither; NaN and infinities are refused.
//
// The program runs in a process group of its own (not on Windows). When its time is over
// the group gets SIGTERM and, after a pause, SIGKILL.
package command
