/** For the tests of other parts: a second S3 server, and an S3 endpoint that fails. */
@NullMarked
package dev.baton.standalone.testkit;

import org.jspecify.annotations.NullMarked;
