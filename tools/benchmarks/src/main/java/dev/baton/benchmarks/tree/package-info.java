/** File trees for measurements, generated from a seed, and changes to them. */
@NullMarked
package dev.baton.benchmarks.tree;

import org.jspecify.annotations.NullMarked;
