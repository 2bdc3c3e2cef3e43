/** Notifications about runs: to a Kafka topic and a webhook, each at least once. */
@NullMarked
package dev.baton.orchestrator.notification;

import org.jspecify.annotations.NullMarked;
