/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.streams.errors.ErrorHandlerContext;
import org.apache.kafka.streams.errors.ProductionExceptionHandler;
import org.jboss.logging.Logger;

/**
 * Skips a record that is too large for the brokers, which only a dead letter with a large key can
 * be. Otherwise the thread would fail, and its replacement would read the same record again. Kafka
 * Streams instantiates this class and counts skipped records in {@code dropped-records}.
 */
public final class OversizedRecordHandler implements ProductionExceptionHandler {
  private static final Logger LOG = Logger.getLogger(OversizedRecordHandler.class);

  @Override
  public ProductionExceptionHandlerResponse handle(
      ErrorHandlerContext context, ProducerRecord<byte[], byte[]> record, Exception failure) {
    if (!(failure instanceof RecordTooLargeException)) {
      return ProductionExceptionHandlerResponse.FAIL;
    }
    LOG.errorf(
        "partition %d, offset %d: record too large for %s, skipped: %s",
        context.partition(), context.offset(), record.topic(), failure.getMessage());
    return ProductionExceptionHandlerResponse.CONTINUE;
  }

  @Override
  public void configure(Map<String, ?> settings) {}
}
