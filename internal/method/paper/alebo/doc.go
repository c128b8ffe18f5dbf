// Package alebo is ALEBO.
package alebo
