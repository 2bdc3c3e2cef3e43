/** What is measured of a system and how figures are put together. */
@NullMarked
package dev.baton.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
