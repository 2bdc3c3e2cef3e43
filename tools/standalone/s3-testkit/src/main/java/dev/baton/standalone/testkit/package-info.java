/** Test fixtures for other modules: a second S3 server, and an S3 endpoint with faults. */
@NullMarked
package dev.baton.standalone.testkit;

import org.jspecify.annotations.NullMarked;
