/** What steps wrote, read from the store and, behind that, from the live tail. */
@NullMarked
package dev.baton.orchestrator.logs;

import org.jspecify.annotations.NullMarked;
