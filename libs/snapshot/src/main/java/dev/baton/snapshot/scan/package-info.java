/**
 * Scans a directory tree at the cost of one stat per file: compares the tree with the previous
 * scan, and determines which files must be read. Unchanged directories are returned as the same
 * objects.
 */
@NullMarked
package dev.baton.snapshot.scan;

import org.jspecify.annotations.NullMarked;
