/**
 * The demonstration: a real job whose runner is killed, measured and compared with an undisturbed
 * one.
 */
@NullMarked
package dev.baton.cli.demo;

import org.jspecify.annotations.NullMarked;
