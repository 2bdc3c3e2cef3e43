/**
 * Command lines of Java programs: their jars, their memory, and the AOT cache that speeds up their
 * start.
 */
@NullMarked
package dev.baton.standalone.jvm;

import org.jspecify.annotations.NullMarked;
