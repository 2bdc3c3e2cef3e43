/** The object store's own promises, on real files. */
@NullMarked
package dev.baton.standalone.s3;

import org.jspecify.annotations.NullMarked;
