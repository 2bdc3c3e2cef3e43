/** Tests of the supervision of real processes, mostly shells. */
@NullMarked
package dev.baton.standalone.process;

import org.jspecify.annotations.NullMarked;
