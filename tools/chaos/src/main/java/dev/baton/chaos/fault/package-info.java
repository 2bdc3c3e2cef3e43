/** What is done to a stack: a schedule of faults that a seed decides, and who carries it out. */
@NullMarked
package dev.baton.chaos.fault;

import org.jspecify.annotations.NullMarked;
