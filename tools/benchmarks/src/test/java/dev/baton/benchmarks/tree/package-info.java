/** Tests of generated trees and of changes to them. */
@NullMarked
package dev.baton.benchmarks.tree;

import org.jspecify.annotations.NullMarked;
