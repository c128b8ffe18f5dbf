// Package queue hands trials to workers over NATS JetStream.
//
// A stream holds one message for each trial that is on offer or with a worker, under
// the subject
//
//	mahabo.trials.STUDY.NUMBER
//
// where STUDY is a hash of the study's name, because names may hold what subjects may
// not. The stream takes a subject once, so that a trial cannot be offered twice. A
// message carries no more than that: parameters and outcomes are in the database, which
// stays the truth. Workers of a study share a consumer. A worker
//
//	pulls a message and says on mahabo.want.STUDY that it waits
//	checks at the server that the trial is the queue's to give
//	evaluates; every third of the consumer's AckWait it says that it goes on
//	tells the server, and then acknowledges the message, which ends it
//
// A worker that dies is silent, and the message goes to another. Delivery is therefore
// at least once; telling an outcome twice changes nothing, so that results are exactly
// once.
//
// The broker is part of the server's process (Embed) or a NATS cluster (Connect).
//
// Tasks spread work that has nothing to do with studies, as the trials of a benchmark are.
package queue
