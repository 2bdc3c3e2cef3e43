/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.logs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.log.LogIndex;
import dev.baton.protocol.log.LogRecord;
import dev.baton.protocol.log.LogStream;
import dev.baton.store.failure.FailureTranslator;
import dev.baton.store.failure.StoreRequestException;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jboss.logging.Logger;

/**
 * Reads pages of a run's log. Holds one frame in memory at a time. Replaces unreadable lines by one
 * line that states what is missing. Blocks. Thread-safe.
 */
@ApplicationScoped
public class LogPageReader {
  private static final Logger LOG = Logger.getLogger(LogPageReader.class);

  /** A page takes no further frame once it has this many bytes of text. */
  private static final long FULL_BYTES = 512 << 10;

  /** Maximum frames read for one page, including those without a matching line. */
  private static final int MOST_FRAMES = 64;

  private final LogChunkRepository rows;
  private final LogFrameReader frames;

  LogPageReader(LogChunkRepository rows, LogFrameReader frames) {
    this.rows = rows;
    this.frames = frames;
  }

  /** Reads the first page of the matching lines. */
  public LogPage read(LogQuery query) {
    LogQuery from = query.tail() > 0 ? tail(query) : query;
    return new PageAssembler(from).read();
  }

  /** Moves the query to the beginning of its last {@code tail} lines. */
  private LogQuery tail(LogQuery query) {
    long left = query.tail();
    int epoch = Integer.MAX_VALUE;
    long line = Long.MAX_VALUE;
    while (true) {
      List<LogChunkRepository.Chunk> found = rows.before(query.run(), epoch, line);
      for (LogChunkRepository.Chunk chunk : found) {
        long has = chunk.lines(query::wants);
        if (has >= left) {
          return query.at(chunk.epoch(), lineAt(query, chunk, has - left));
        }
        left -= has;
      }
      if (found.isEmpty()) {
        return query.at(0, 0);
      }
      epoch = found.getLast().epoch();
      line = found.getLast().name().firstLine();
    }
  }

  /** The number of a matching line of the chunk, after skipping the given number of matches. */
  private long lineAt(LogQuery query, LogChunkRepository.Chunk chunk, long skipped) {
    if (query.wantsAllAttempts()) {
      return chunk.index().firstLine() + skipped;
    }
    long left = skipped;
    for (LogIndex.Frame frame : chunk.index().frames()) {
      long number = frame.firstLine();
      for (LogRecord record : records(chunk, frame)) {
        if (query.wants(of(chunk, record)) && left-- == 0) {
          return number;
        }
        number++;
      }
    }
    return chunk.index().firstLine();
  }

  private List<LogRecord> records(LogChunkRepository.Chunk chunk, LogIndex.Frame frame) {
    try {
      return frames.read(chunk.name(), frame);
    } catch (IOException e) {
      LOG.warnf("log chunk %s: %s", chunk.name().key(), e.getMessage());
      return List.of();
    } catch (StoreRequestException e) {
      if (e.kind() != StoreRequestException.Kind.NOT_FOUND) {
        throw e;
      }
      LOG.warnf("log chunk %s: %s", chunk.name().key(), FailureTranslator.words(e));
      return List.of();
    }
  }

  private static LogAttempt of(LogChunkRepository.Chunk chunk, LogRecord record) {
    List<LogIndex.Attempt> attempts = chunk.index().attempts();
    return record.attempt() < attempts.size()
        ? attempts.get(record.attempt()).of()
        : new LogAttempt("", 1, 1);
  }

  /** Collects one page. */
  private final class PageAssembler {
    private final LogQuery query;
    private final List<LogPage.Line> lines = new ArrayList<>();
    private final List<Integer> cutOff = new ArrayList<>();
    private int epoch;
    private long line;
    private long lastMicros;
    private boolean begun;
    private boolean closed;
    private long bytes;
    private int looked;

    PageAssembler(LogQuery query) {
      this.query = query;
      epoch = query.epoch();
      line = Math.max(1, query.line());
    }

    LogPage read() {
      while (true) {
        List<LogChunkRepository.Chunk> found = rows.from(query.run(), epoch, line);
        boolean moved = false;
        for (LogChunkRepository.Chunk chunk : found) {
          moved |= chunk.epoch() > epoch || chunk.index().nextLine() > line;
          if (!take(chunk)) {
            return page(false);
          }
        }
        if (!moved) {
          return page(true);
        }
      }
    }

    private LogPage page(boolean end) {
      return new LogPage(
          List.copyOf(lines),
          epoch,
          line,
          end,
          end && closed,
          lastMicros,
          begun,
          List.copyOf(cutOff));
    }

    /** Adds the lines of a chunk. False if the page is full. */
    private boolean take(LogChunkRepository.Chunk chunk) {
      LogIndex index = chunk.index();
      if (chunk.epoch() > epoch) {
        if (epoch > 0 && rows.isCutOff(query.run(), epoch)) {
          cutOff.add(epoch);
        }
        epoch = chunk.epoch();
        line = 1;
        closed = false;
      }
      begun = true;
      closed |= chunk.last();
      if (index.firstLine() > line) {
        missing(chunk, line, index.firstLine() - line, "were never acknowledged");
        line = index.firstLine();
      }
      if (index.nextLine() > line) {
        if (chunk.lines(query::wants) == 0
            || !query.wants(index.firstMicros(), index.lastMicros())) {
          line = index.nextLine();
        } else if (!takeFrames(chunk)) {
          closed = false;
          return false;
        }
      }
      lastMicros = Math.max(lastMicros, index.lastMicros());
      return true;
    }

    private boolean takeFrames(LogChunkRepository.Chunk chunk) {
      for (LogIndex.Frame frame : chunk.index().frames()) {
        long next = frame.firstLine() + frame.lines();
        if (next <= line || !query.wants(frame.firstMicros(), frame.lastMicros())) {
          line = Math.max(line, next);
          continue;
        }
        if (bytes >= FULL_BYTES || ++looked > MOST_FRAMES) {
          return false;
        }
        if (!takeRecords(chunk, frame)) {
          return false;
        }
      }
      return true;
    }

    private boolean takeRecords(LogChunkRepository.Chunk chunk, LogIndex.Frame frame) {
      List<LogRecord> records = records(chunk, frame);
      if (records.isEmpty()) {
        long next = frame.firstLine() + frame.lines();
        missing(chunk, line, next - line, "cannot be read: object " + chunk.name().key());
        line = next;
      }
      for (int i = 0; i < records.size(); i++) {
        long number = frame.firstLine() + i;
        LogRecord record = records.get(i);
        LogAttempt of = of(chunk, record);
        if (number < line) {
          continue;
        }
        if (query.wants(record.micros()) && query.wants(of)) {
          if (isFull()) {
            return false;
          }
          add(number, of, record);
        }
        line = number + 1;
      }
      return true;
    }

    private boolean isFull() {
      return query.limit() > 0 && lines.size() >= query.limit();
    }

    private void add(long number, LogAttempt of, LogRecord record) {
      lines.add(new LogPage.Line(epoch, number, of, record));
      bytes += record.bytes().length;
    }

    /**
     * Adds a line for missing lines. Their attempts are not known, so it is added for any query.
     */
    private void missing(LogChunkRepository.Chunk chunk, long number, long count, String why) {
      byte[] text = (count + " lines are missing here: they " + why).getBytes(UTF_8);
      LogAttempt of =
          chunk.index().attempts().isEmpty()
              ? new LogAttempt(query.step(), 1, 1)
              : chunk.index().attempts().getFirst().of();
      add(
          number,
          of,
          new LogRecord(
              0,
              LogStream.BATON,
              chunk.index().firstMicros(),
              false,
              text,
              new LogRecord.Missing(count, 0)));
    }
  }
}
