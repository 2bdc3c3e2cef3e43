/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.postgres;

/**
 * Access data of the database.
 *
 * @param host where it listens
 * @param port where it listens
 * @param database its name
 * @param user its owner
 * @param password the owner's
 */
public record PostgresAccess(String host, int port, String database, String user, String password) {

  /** The address for JDBC, without user and password. */
  public String jdbcUrl() {
    return "jdbc:postgresql://%s:%d/%s".formatted(host, port, database);
  }

  @Override
  public String toString() {
    return "PostgresAccess[" + user + "@" + host + ":" + port + "/" + database + "]";
  }
}
