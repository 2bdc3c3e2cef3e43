/** Whole directory trees, for whoever needs to be rid of one. */
@NullMarked
package dev.baton.standalone.files;

import org.jspecify.annotations.NullMarked;
