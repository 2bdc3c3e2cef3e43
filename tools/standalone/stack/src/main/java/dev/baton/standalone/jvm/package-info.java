/**
 * Command lines of Java programs: where their jars are, which memory they get, which AOT cache
 * speeds their start.
 */
@NullMarked
package dev.baton.standalone.jvm;

import org.jspecify.annotations.NullMarked;
