/** The workload of the system under faults: its workflows, its clients and its observers. */
@NullMarked
package dev.baton.chaos.workload;

import org.jspecify.annotations.NullMarked;
