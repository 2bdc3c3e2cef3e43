/**
 * Tests with Docker containers: contracts of servers of others, and failover with Baton's own
 * images.
 */
@NullMarked
package dev.baton.containers;

import org.jspecify.annotations.NullMarked;
