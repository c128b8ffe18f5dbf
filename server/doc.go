// Package server offers studies over HTTP.
//
//	POST   /v1/studies                          create
//	GET    /v1/studies                          list
//	GET    /v1/studies/{study}                  how far a study is
//	DELETE /v1/studies/{study}
//	POST   /v1/studies/{study}/ask              get trials to evaluate
//	POST   /v1/studies/{study}/tell             record outcomes, all or none
//	POST   /v1/studies/{study}/enqueue          add points of one's own
//	POST   /v1/studies/{study}/release          give trials back
//	POST   /v1/studies/{study}/import           add evaluations made elsewhere
//	GET    /v1/studies/{study}/trials           page, filter, search, sort
//	GET    /v1/studies/{study}/trials/{number}
//	POST   /v1/studies/{study}/trials/{number}/tell|heartbeat|retry|notes|correct
//	GET    /v1/studies/{study}/best|export|model|events
//	GET    /v1/studies/{study}/curve|points|batches  what charts show
//	GET    /v1/methods                          what a study can be made with
//	GET    /healthz /metrics /openapi.json /docs
//
// The OpenAPI document is made of the Go types of the requests and answers, which
// check the requests too. Errors are RFC 9457 problems.
//
// # Glossary
//
//	host     a study that this process has open
//	chooser  where the asks of a host queue, and where its method chooses
//	replica  one of several servers on the same store
package server
