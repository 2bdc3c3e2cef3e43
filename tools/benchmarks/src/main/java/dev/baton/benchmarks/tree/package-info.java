/** Trees of files to measure with, made from a seed, and changes to them. */
@NullMarked
package dev.baton.benchmarks.tree;

import org.jspecify.annotations.NullMarked;
