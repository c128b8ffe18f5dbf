// Package report shows a study and its analysis on one page of HTML that loads nothing
// else: how far it is, what was found, which parameters matter and how, and how far the
// model behind these answers can be trusted. Every figure has a caption that says how to
// read it, and a table of its numbers.
package report
