/**
 * Postgres from a Maven artifact: unpacked once, initialised once, started as an ordinary process.
 */
@NullMarked
package dev.baton.standalone.postgres;

import org.jspecify.annotations.NullMarked;
