// Package report draws results of package bench: figures as PNG, SVG or PDF,
// and a page of HTML with a leaderboard, the tables, the figures, and how they were made.
//
// A figure of curves has one panel per problem, dimension and batch size. A panel shows
// the best value by evaluation, from the end of the initial design on: the mean
// over the trials and a band of one standard error either side (68 %). A method
// has the same colour and dashes in all panels. A dashed horizontal line is the
// minimum of the problem, where it is known and can be shown. The scale is
// logarithmic when all values are positive and span more than a factor of 50.
//
// The figures of a leaderboard show mean ranks with their 95 % intervals beside CPU seconds, and data profiles with
// bands of one standard error. On a page every panel is an image of its own, so that a narrow screen shows them one below the other.
package report
