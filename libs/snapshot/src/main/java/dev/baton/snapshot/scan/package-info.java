/**
 * What is in a directory tree now, at the cost of asking the system for each file's times: a scan
 * compares the tree with what the last one saw, and says which files have to be read. What is
 * unchanged comes back as the very same objects.
 */
@NullMarked
package dev.baton.snapshot.scan;

import org.jspecify.annotations.NullMarked;
