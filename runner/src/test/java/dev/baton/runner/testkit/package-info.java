/**
 * Real Kafka and S3, and small servers that implement the contracts of the two services, for the
 * runner's tests.
 */
@NullMarked
package dev.baton.runner.testkit;

import org.jspecify.annotations.NullMarked;
