/** Tests the object store's guarantees on real files. */
@NullMarked
package dev.baton.standalone.s3;

import org.jspecify.annotations.NullMarked;
