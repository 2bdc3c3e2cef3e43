/** Deletion of directory trees. */
@NullMarked
package dev.baton.standalone.files;

import org.jspecify.annotations.NullMarked;
