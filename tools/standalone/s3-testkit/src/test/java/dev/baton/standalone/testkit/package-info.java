/** Tests Baton's requirements for S3 against each implementation. */
@NullMarked
package dev.baton.standalone.testkit;

import org.jspecify.annotations.NullMarked;
