/** Tests of the command lines of Java programs. */
@NullMarked
package dev.baton.standalone.jvm;

import org.jspecify.annotations.NullMarked;
