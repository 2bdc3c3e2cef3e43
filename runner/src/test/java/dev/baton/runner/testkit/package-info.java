/**
 * Real Kafka and S3, and the two services' contracts played by small servers, for the runner's
 * tests.
 */
@NullMarked
package dev.baton.runner.testkit;

import org.jspecify.annotations.NullMarked;
