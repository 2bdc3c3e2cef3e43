/**
 * An S3 server over a folder in one process, for one machine: the object store of {@code baton up}
 * and of the tests.
 */
@NullMarked
package dev.baton.standalone.s3;

import org.jspecify.annotations.NullMarked;
