// Package web is the dashboard of a server: pages for a browser, made of what the
// HTTP API answers. It holds no state and decides nothing about access: every
// request goes on to the API with the caller's cookie or header, inside the
// process.
//
//	GET  /                                   the studies
//	GET  /new             POST /new          create a study
//	GET  /studies/{study}                    one study, live
//	GET  /studies/{study}/overview|trials|model    its parts
//	GET  /studies/{study}/trials/{number}    one trial
//	POST /studies/{study}/ask|enqueue|import|delete
//	POST /studies/{study}/trials/{number}/tell|retry
//	GET  /login           POST /login /logout
//
// Forms work without scripts: they then lead to a page instead of changing a part of
// one. Scripts add what moves: events, charts, the time left of a lease. All files are
// embedded, and pages load nothing from elsewhere, so that they work under a strict
// Content-Security-Policy.
//
// Requests that change something are POSTs of the same origin: the server refuses
// others, and the cookie is SameSite=Strict.
package web
