/** Supervision of real processes, shells mostly. */
@NullMarked
package dev.baton.standalone.process;

import org.jspecify.annotations.NullMarked;
