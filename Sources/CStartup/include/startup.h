#ifndef SHARDQ_STARTUP_H
#define SHARDQ_STARTUP_H

/* The program's arguments as the C library handed them over before main, and how many; NULL where it does not. */
char **startup_arguments(int *count);

#endif
