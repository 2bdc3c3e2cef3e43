/** A second implementation of S3 in one process, for the tests: Adobe's S3Mock. */
@NullMarked
package dev.baton.standalone.s3mock;

import org.jspecify.annotations.NullMarked;
