// Package worker evaluates trials of a server's study on this machine.
//
// A worker has slots. Each takes a trial, evaluates it, tells the server what came of
// it and takes the next. Trials come from the server itself, which is asked over HTTP,
// or from a work queue; outcomes always go to the server, whose database is the truth.
//
// What happens when something breaks:
//
//	the worker dies       its trials are served to others when their leases run out
//	the worker is ended   it gives its trials back
//	the server is away    programs run on; what they found is told when it is back
//	an answer is lost     the request is repeated: asks by their request id, tells by
//	                      what they say, so that no trial counts twice
package worker
