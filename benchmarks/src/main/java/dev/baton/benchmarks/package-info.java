@NullMarked
package dev.baton.benchmarks;

import org.jspecify.annotations.NullMarked;
